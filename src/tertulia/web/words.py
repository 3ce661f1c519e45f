"""The words of the pages at the door, in the languages we speak. English is the measure."""

from types import SimpleNamespace

from tertulia.http.request import ApiRequest

ENGLISH = {
    "log_in": "Log in",
    "greeting": "Pull up a chair. The others are already talking.",
    "email": "Email",
    "user_name": "User name",
    "password": "Password",
    "forgotten": "Forgotten?",
    "or_else": "or",
    "continue_with": "Continue with {}",
    "look_around": "Look around",
    "another_organization": "Another organization",
    "which_organization": "Which organization?",
    "which_explained": "Several live here, each at an address of its own.",
    "organization": "Organization",
    "go_on": "Continue",
    "no_such_organization": "There is no organization of that name here.",
    "nobody_here": "Nobody lives here",
    "nobody_here_explained": "There is no organization at this address.",
    "wrong_password": "That name and password do not belong together. Try again.",
    "invalid_email": "Enter a valid email address.",
    "account_ended": "This account was deactivated. An administrator can open it again.",
    "organization_ended": "This organization was deactivated.",
    "no_passwords": "In this organization one does not log in with a password.",
    "method_disabled": "This organization does not offer that way to log in.",
    "too_often": "Too many attempts. Try again in {} minutes.",
    "not_from_here": "That did not come from us",
    "not_from_here_explained": "Another site has sent your browser here. Nothing was done.",
    "went_wrong": "That did not work",
    "back_to_login": "Go to the log-in page",
    "logged_out": "You are logged out.",
    "link_not_good": "This link is not good",
    "link_not_good_explained": "It was used already, is too old, or was never ours.",
    "forgotten_heading": "Forgotten your password?",
    "forgotten_explained": "Tell us your address, and we send you a link to choose a new one.",
    "forgotten_without_mail": "No mail is sent from here. An administrator can make you a link.",
    "send_link": "Send the link",
    "link_sent": "Look into your mail",
    "link_sent_explained": "If that address is one of ours, a link is on its way there.",
    "choose_password": "Choose a password",
    "choose_explained": "For {}. Nobody else needs to know it.",
    "new_password": "New password",
    "password_hint": "At least 8 characters. A few words that do not belong together are good.",
    "renew_key": "Also log out apps and bots that use my API key",
    "save_password": "Save the password",
    "password_changed": "Your new password is in use. Log in with it.",
    "password_too_short": "A password has at least 8 characters.",
    "password_too_long": "A password has at most 100 characters.",
    "password_too_easy": "That password is too easy to guess.",
    "confirm_address": "Confirm your address",
    "confirm_address_explained": "From now on your account uses {}.",
    "confirm": "Confirm",
    "address_changed": "Your new address is in use.",
    "sign_up": "Sign up",
    "join": "Join {}",
    "sign_up_explained": "Tell us your address, and we send you a link to come in with.",
    "sign_up_sent_explained": "A link is on its way there. It is good until tomorrow.",
    "invitation_needed": "To join, you need an invitation from somebody who is here already.",
    "newcomer_explained": "Choose the name that the others see, and a password.",
    "full_name": "Your name",
    "come_in": "Come in",
    "email_taken": "This address cannot be used.",
    "welcome": "Welcome to {}!",
    "login_expired": "This login took too long, was finished already, or began in another browser."
    " Please begin again.",
    "provider_failed": "The other site did not confirm who you are. Please begin again.",
    "not_admitted": "Your account there may not be used to log in here.",
    "account_of_another": "The account of {email} belongs to somebody else there. Ask an"
    " administrator.",
    "no_verified_address": "The other site does not vouch for an email address of yours.",
    "no_account_yet": "There is no account for {email} here.",
    "invitation_required": "Please request an invite for {email} from an administrator.",
    "directory_away": "The directory that knows your password cannot be reached. Try again later.",
    "proxy_is_silent": "The proxy in front of this server did not say who you are.",
    "back_to_app": "Back to the app",
    "back_to_app_explained": "Copy this into the app within a few seconds, and you are in.",
    "to_be_pasted": "To be pasted",
    "in_the_browser": "Log in with the browser",
    "in_the_browser_explained": "Your browser opens. Copy what it shows at the end, and come back.",
}

SPANISH = {
    "log_in": "Entrar",
    "greeting": "Acércate una silla. Los demás ya están hablando.",
    "email": "Correo electrónico",
    "user_name": "Nombre de usuario",
    "password": "Contraseña",
    "forgotten": "¿Olvidada?",
    "or_else": "o",
    "continue_with": "Continuar con {}",
    "look_around": "Echar un vistazo",
    "another_organization": "Otra organización",
    "which_organization": "¿Qué organización?",
    "which_explained": "Aquí viven varias, cada una en su propia dirección.",
    "organization": "Organización",
    "go_on": "Continuar",
    "no_such_organization": "Aquí no hay ninguna organización con ese nombre.",
    "nobody_here": "Aquí no vive nadie",
    "nobody_here_explained": "No hay ninguna organización en esta dirección.",
    "wrong_password": "Ese nombre y esa contraseña no van juntos. Inténtalo otra vez.",
    "invalid_email": "Escribe una dirección de correo válida.",
    "account_ended": "Esta cuenta está desactivada. Un administrador puede reabrirla.",
    "organization_ended": "Esta organización está desactivada.",
    "no_passwords": "En esta organización no se entra con contraseña.",
    "method_disabled": "Esta organización no ofrece esa forma de entrar.",
    "too_often": "Demasiados intentos. Prueba de nuevo en {} minutos.",
    "not_from_here": "Esto no vino de nosotros",
    "not_from_here_explained": "Otro sitio ha enviado tu navegador aquí. No se ha hecho nada.",
    "went_wrong": "No ha funcionado",
    "back_to_login": "Ir a la página de entrada",
    "logged_out": "Has salido.",
    "link_not_good": "Este enlace no sirve",
    "link_not_good_explained": "Ya se usó, es demasiado viejo o nunca fue nuestro.",
    "forgotten_heading": "¿Has olvidado la contraseña?",
    "forgotten_explained": "Dinos tu dirección y te enviaremos un enlace para elegir otra.",
    "forgotten_without_mail": "Aquí no se envía correo. Un administrador puede darte un enlace.",
    "send_link": "Enviar el enlace",
    "link_sent": "Mira tu correo",
    "link_sent_explained": "Si esa dirección es de alguien de aquí, un enlace va de camino.",
    "choose_password": "Elige una contraseña",
    "choose_explained": "Para {}. Nadie más tiene que saberla.",
    "new_password": "Contraseña nueva",
    "password_hint": "Al menos 8 caracteres. Unas palabras que no vayan juntas son buena idea.",
    "renew_key": "Cerrar también las aplicaciones y bots que usan mi clave de API",
    "save_password": "Guardar la contraseña",
    "password_changed": "Tu nueva contraseña ya vale. Entra con ella.",
    "password_too_short": "Una contraseña tiene al menos 8 caracteres.",
    "password_too_long": "Una contraseña tiene como mucho 100 caracteres.",
    "password_too_easy": "Esa contraseña es demasiado fácil de adivinar.",
    "confirm_address": "Confirma tu dirección",
    "confirm_address_explained": "A partir de ahora tu cuenta usará {}.",
    "confirm": "Confirmar",
    "address_changed": "Tu nueva dirección ya vale.",
    "sign_up": "Registrarse",
    "join": "Únete a {}",
    "sign_up_explained": "Dinos tu dirección y te enviaremos un enlace para entrar.",
    "sign_up_sent_explained": "Un enlace va de camino. Sirve hasta mañana.",
    "invitation_needed": "Para unirte necesitas que te invite alguien que ya esté aquí.",
    "newcomer_explained": "Elige el nombre que verán los demás, y una contraseña.",
    "full_name": "Tu nombre",
    "come_in": "Entrar",
    "email_taken": "Esta dirección no se puede usar.",
    "welcome": "¡Te damos la bienvenida a {}!",
    "login_expired": "Este acceso tardó demasiado, ya se completó o empezó en otro navegador."
    " Empieza de nuevo.",
    "provider_failed": "El otro sitio no confirmó quién eres. Empieza de nuevo.",
    "not_admitted": "Tu cuenta de allí no sirve para entrar aquí.",
    "account_of_another": "La cuenta de {email} es allí de otra persona. Pregunta a quien"
    " administra.",
    "no_verified_address": "El otro sitio no responde por ninguna dirección de correo tuya.",
    "no_account_yet": "Aquí no hay ninguna cuenta para {email}.",
    "invitation_required": "Pide una invitación para {email} a quien administra.",
    "directory_away": "No se puede consultar el directorio que conoce tu contraseña. Prueba más"
    " tarde.",
    "proxy_is_silent": "El proxy delante de este servidor no dijo quién eres.",
    "back_to_app": "De vuelta a la aplicación",
    "back_to_app_explained": "Copia esto en la aplicación en unos segundos y estarás dentro.",
    "to_be_pasted": "Para pegar",
    "in_the_browser": "Entrar con el navegador",
    "in_the_browser_explained": "Se abre tu navegador. Copia lo que muestre al final y vuelve.",
}

LANGUAGES = {"en": ENGLISH, "es": SPANISH}

# The words for what goes wrong: by the class of the error, or by what the API says of it.
PROBLEMS = {
    "LoginFailed": "wrong_password",
    "InvalidEmail": "invalid_email",
    "LoginDeactivated": "account_ended",
    "LoginOrganizationDeactivated": "organization_ended",
    "PasswordLoginDisabled": "no_passwords",
    "MethodDisabled": "method_disabled",
    "LinkNotGood": "link_not_good_explained",
    "EmailTaken": "email_taken",
    "LoginExpired": "login_expired",
    "ProviderFailed": "provider_failed",
    "NotAdmitted": "not_admitted",
    "AccountOfAnother": "account_of_another",
    "NoVerifiedAddress": "no_verified_address",
    "NoAccountYet": "no_account_yet",
    "InvitationRequired": "invitation_required",
    "DirectoryUnreachable": "directory_away",
    "RemoteUserMissing": "proxy_is_silent",
}
SENTENCES = {
    "A password has at least 8 characters.": "password_too_short",
    "A password has at most 100 characters.": "password_too_long",
    "This password is too easy to guess.": "password_too_easy",
}


def of(request: ApiRequest) -> dict[str, str]:
    """Those of whoever asks."""
    return LANGUAGES[language(request.header("accept-language"))]


def language(accept_language: str | None) -> str:
    """The first language of a browser that we speak."""
    for wanted in (accept_language or "").lower().split(","):
        name = wanted.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def in_language(name: str) -> SimpleNamespace:
    """All of them, to be named as `say.log_in`."""
    return SimpleNamespace(**LANGUAGES[name])
