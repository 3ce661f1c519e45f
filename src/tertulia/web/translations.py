"""Texts of the account pages by language. English has all of them."""

from types import SimpleNamespace

from tertulia.http.request import ApiRequest
from tertulia.web.operator import texts

ENGLISH = {
    "log_in": "Log in",
    "greeting": "Pull up a chair. The others are already talking.",
    "email": "Email",
    "user_name": "User name",
    "password": "Password",
    "forgot_password": "Forgotten?",
    "or_separator": "or",
    "continue_with": "Continue with {}",
    "continue_with_directory": "Continue with the password of your organization",
    "open_demo": "Look around",
    "another_organization": "Another organization",
    "choose_organization": "Which organization?",
    "mobile_login": "Log in to the mobile app?",
    "mobile_login_explained": "The app gets access to your account. Agree only if you have just "
    "opened the app to log in.",
    "mobile_login_as": "Log in as",
    "choose_address": "Which address?",
    "choose_address_explained": "The other site confirmed all of these addresses.",
    "choose_organization_explained": "This server has several organizations, each with"
    " its own address.",
    "organization": "Organization",
    "continue_button": "Continue",
    "no_such_organization": "There is no organization with this name.",
    "find_organization": "Find your organization",
    "find_explained": "Enter your email address. You get a mail with the organizations in which"
    " you have an account.",
    "find_without_mail": "This server does not send mail. Ask an administrator for the address"
    " of your organization.",
    "find_send": "Send the mail",
    "find_mail_sent": "If this address has an account, a mail with its organizations is on its"
    " way.",
    "organization_not_found": "No organization here",
    "organization_not_found_explained": "There is no organization at this address.",
    "wrong_password": "The email address or the password is wrong. Try again.",
    "invalid_email": "Enter a valid email address.",
    "account_deactivated": "This account was deactivated. An administrator can reactivate it.",
    "password_expired": "This password is no longer valid. Choose a new one with “Forgotten?”.",
    "organization_deactivated": "This organization was deactivated.",
    "password_login_disabled": "This organization does not allow logging in with a password.",
    "method_disabled": "This organization does not allow this login method.",
    "rate_limited": "Too many attempts. Try again in {} minutes.",
    "cross_site_request": "This request came from another site",
    "cross_site_request_explained": "Another site sent your browser here. Nothing was changed.",
    "error_heading": "That did not work",
    "back_to_login": "Go to the log-in page",
    "logged_out": "You are logged out.",
    "logged_out_heading": "You are logged out of this site",
    "log_out_of_provider": "Log out of {} as well",
    "link_invalid": "This link is not valid",
    "link_invalid_explained": "It was already used, has expired, or is incomplete.",
    "forgotten_heading": "Forgotten your password?",
    "forgotten_explained": "Enter your email address. You get a link to choose a new password.",
    "forgotten_without_mail": "This server does not send mail. An administrator can create a"
    " link for you.",
    "send_link": "Send the link",
    "link_sent": "Check your mail",
    "link_sent_explained": "If this address has an account, a link is on its way to it.",
    "choose_password": "Choose a password",
    "choose_password_explained": "For {}. Do not share it.",
    "new_password": "New password",
    "password_hint": "At least 8 characters. Several unrelated words make a good password.",
    "renew_key": "Also log out apps and bots that use my API key",
    "save_password": "Save the password",
    "password_changed": "Your password was changed. Log in with the new one.",
    "password_too_short": "A password has at least 8 characters.",
    "password_too_long": "A password has at most 100 characters.",
    "password_too_easy": "That password is too easy to guess.",
    "confirm_address": "Confirm your address",
    "confirm_address_explained": "Your account will use {}.",
    "confirm": "Confirm",
    "address_changed": "Your address was changed.",
    "sign_up": "Sign up",
    "join": "Join {}",
    "sign_up_explained": "Enter your email address. You get a link to create your account.",
    "sign_up_sent_explained": "A link is on its way to this address. It is valid for a day.",
    "invitation_needed": "To join, you need an invitation from a member.",
    "new_account_explained": "Choose the name that others see, and a password.",
    "full_name": "Your name",
    "join_button": "Join",
    "email_taken": "This address cannot be used.",
    "login_expired": "This login took too long, was finished already, or began in another browser."
    " Please begin again.",
    "provider_failed": "The other site did not confirm who you are. Please begin again.",
    "account_not_admitted": "Your account there may not be used to log in here.",
    "account_linked_to_other_user": "The account of {email} is linked to another user of that"
    " site. Ask an administrator.",
    "no_verified_address": "The other site did not confirm an email address for you.",
    "no_account_yet": "There is no account for {email} here.",
    "invitation_required": "Please request an invite for {email} from an administrator.",
    "directory_unavailable": "The directory server that checks your password cannot be reached. Try"
    " again later.",
    "proxy_header_missing": "The proxy in front of this server did not say who you are.",
    "back_to_app": "Back to the app",
    "back_to_app_explained": "Copy this into the app within a few seconds, and you are in.",
    "token_label": "To be pasted",
    "copy": "Copy",
    "copied": "Copied. Go back to the app.",
    "browser_login": "Log in with the browser",
    "browser_login_explained": "Your browser opens. Copy what it shows at the end, and come back.",
    "second_step": "One more step",
    "second_step_explained": "Enter the code that your app shows.",
    "code": "Code",
    "recovery_code_hint": "No app at hand? Enter one of your recovery codes; each works once.",
    "wrong_code": "That code is wrong, too old, or was used already. Wait for the next one.",
    "restart": "Begin again",
    "second_factor": "Second factor",
    "second_factor_on": "Logging in needs your password and a code.",
    "second_factor_off": "With a second factor, logging in needs a code from an app besides your"
    " password.",
    "second_factor_required": "Your organization requires a second factor.",
    "second_factor_removed": "The second factor was removed. Logging in needs only your password.",
    "set_up_explained": "Scan this code with an app for one-time passwords.",
    "set_up_required": "Your organization requires a second factor. Scan this code with an app for"
    " one-time passwords.",
    "qr_code": "QR code for your app",
    "secret_as_text": "Or type this into the app:",
    "app_code": "The code that the app shows",
    "set_up": "Set it up",
    "set_up_app": "Set up an app",
    "replace_app": "Use another app",
    "app_replaced": "The new app is set up. Codes of the old one no longer work.",
    "recovery_codes": "Save these recovery codes",
    "recovery_codes_explained": "If you lose your app, each code works once. They are shown"
    " only now: print them, or put them where your passwords are.",
    "codes_saved": "I have saved them",
    "codes_left": "Recovery codes left: {}.",
    "renew_codes": "New recovery codes",
    "remove_second_factor": "Remove the second factor",
    "password_incorrect": "That is not your password.",
    "use_passkey": "Use a passkey",
    "new_passkey": "Add a passkey",
    "new_passkey_explained": "Your phone, your computer or a security key confirms the login"
    " after the password.",
    "passkey_name": "Name of the passkey",
    "add_passkey": "Add it",
    "remove_passkey": "Remove the passkey {}",
    "passkey_failed": "That did not work. Try again, or use a code.",
    "passkeys_need_script": "Passkeys need JavaScript; an app with codes does not.",
    "back_to_chat": "Back to the chat",
    "first_run_title": "Create your organization",
    "first_run_heading": "Welcome to Tertulia",
    "first_run_explained": "This server is empty. Name your organization and create its first"
    " owner.",
    "organization_name": "Name of the organization",
    "your_email": "Your email",
    "setup_code": "Setup code",
    "setup_code_explained": "Shown in the terminal where the server was started. It proves that the"
    " server is yours.",
    "create_organization": "Create the organization",
    "setup_help": "Where is the code? Coming from another chat?",
    "show_code_again": "This shows the code again, on the server:",
    "import_instead": "This imports everything from Zulip, Slack, Mattermost or Rocket.Chat, with"
    " its owners, instead of this form:",
    "wrong_setup_code": "The setup code is wrong. Compare it with the one in the terminal.",
    "already_set_up": "This server has an owner already. Log in, or ask for an invitation.",
}

SPANISH = {
    "log_in": "Entrar",
    "greeting": "Acércate una silla. Los demás ya están hablando.",
    "email": "Correo electrónico",
    "user_name": "Nombre de usuario",
    "password": "Contraseña",
    "forgot_password": "¿Olvidada?",
    "or_separator": "o",
    "continue_with": "Continuar con {}",
    "continue_with_directory": "Continuar con la contraseña de tu organización",
    "open_demo": "Probar la demostración",
    "another_organization": "Otra organización",
    "choose_organization": "¿Qué organización?",
    "mobile_login": "¿Entrar en la aplicación móvil?",
    "mobile_login_explained": "La aplicación tendrá acceso a tu cuenta. Acepta solo si acabas de "
    "abrirla para entrar.",
    "mobile_login_as": "Entrar como",
    "choose_address": "¿Qué dirección?",
    "choose_address_explained": "El otro sitio ha confirmado todas estas direcciones.",
    "choose_organization_explained": "Este servidor tiene varias organizaciones, cada una con su"
    " propia dirección.",
    "organization": "Organización",
    "continue_button": "Continuar",
    "no_such_organization": "No hay ninguna organización con este nombre.",
    "find_organization": "Encuentra tu organización",
    "find_explained": "Escribe tu dirección de correo. Recibirás un correo con las organizaciones"
    " en las que tienes cuenta.",
    "find_without_mail": "Este servidor no envía correo. Pide a un administrador la dirección de"
    " tu organización.",
    "find_send": "Enviar el correo",
    "find_mail_sent": "Si esta dirección tiene cuenta, un correo con sus organizaciones va de"
    " camino.",
    "organization_not_found": "Aquí no hay ninguna organización",
    "organization_not_found_explained": "No hay ninguna organización en esta dirección.",
    "wrong_password": "La dirección de correo o la contraseña no es correcta. Inténtalo otra vez.",
    "invalid_email": "Escribe una dirección de correo válida.",
    "account_deactivated": "Esta cuenta se desactivó. Un administrador puede reactivarla.",
    "password_expired": "Esta contraseña ya no vale. Elige otra con «¿Olvidada?».",
    "organization_deactivated": "Esta organización se desactivó.",
    "password_login_disabled": "Esta organización no permite entrar con contraseña.",
    "method_disabled": "Esta organización no permite esta forma de entrar.",
    "rate_limited": "Demasiados intentos. Prueba de nuevo en {} minutos.",
    "cross_site_request": "Esta petición vino de otro sitio",
    "cross_site_request_explained": "Otro sitio ha enviado tu navegador aquí. No se ha cambiado"
    " nada.",
    "error_heading": "No ha funcionado",
    "back_to_login": "Ir a la página de entrada",
    "logged_out": "Has salido.",
    "logged_out_heading": "Has salido de este sitio",
    "log_out_of_provider": "Salir también de {}",
    "link_invalid": "Este enlace no es válido",
    "link_invalid_explained": "Ya se usó, ha caducado o está incompleto.",
    "forgotten_heading": "¿Has olvidado la contraseña?",
    "forgotten_explained": "Escribe tu dirección de correo. Recibirás un enlace para elegir una"
    " contraseña nueva.",
    "forgotten_without_mail": "Este servidor no envía correo. Un administrador puede crear un"
    " enlace para ti.",
    "send_link": "Enviar el enlace",
    "link_sent": "Mira tu correo",
    "link_sent_explained": "Si esta dirección tiene cuenta, un enlace va de camino.",
    "choose_password": "Elige una contraseña",
    "choose_password_explained": "Para {}. No la compartas.",
    "new_password": "Contraseña nueva",
    "password_hint": "Al menos 8 caracteres. Varias palabras sin relación hacen una buena"
    " contraseña.",
    "renew_key": "Cerrar también las aplicaciones y bots que usan mi clave de API",
    "save_password": "Guardar la contraseña",
    "password_changed": "Tu contraseña se ha cambiado. Entra con la nueva.",
    "password_too_short": "Una contraseña tiene al menos 8 caracteres.",
    "password_too_long": "Una contraseña tiene como mucho 100 caracteres.",
    "password_too_easy": "Esa contraseña es demasiado fácil de adivinar.",
    "confirm_address": "Confirma tu dirección",
    "confirm_address_explained": "Tu cuenta usará {}.",
    "confirm": "Confirmar",
    "address_changed": "Tu dirección se ha cambiado.",
    "sign_up": "Registrarse",
    "join": "Únete a {}",
    "sign_up_explained": "Escribe tu dirección de correo. Recibirás un enlace para crear tu"
    " cuenta.",
    "sign_up_sent_explained": "Un enlace va de camino a esta dirección. Vale durante un día.",
    "invitation_needed": "Para unirte necesitas la invitación de un miembro.",
    "new_account_explained": "Elige el nombre que verán los demás, y una contraseña.",
    "full_name": "Tu nombre",
    "join_button": "Unirse",
    "email_taken": "Esta dirección no se puede usar.",
    "login_expired": "Este acceso tardó demasiado, ya se completó o empezó en otro navegador."
    " Empieza de nuevo.",
    "provider_failed": "El otro sitio no confirmó quién eres. Empieza de nuevo.",
    "account_not_admitted": "Tu cuenta de allí no se puede usar para entrar aquí.",
    "account_linked_to_other_user": "La cuenta de {email} está vinculada a otro usuario de ese"
    " sitio. Pregunta a un administrador.",
    "no_verified_address": "El otro sitio no ha confirmado ninguna dirección de correo tuya.",
    "no_account_yet": "Aquí no hay ninguna cuenta para {email}.",
    "invitation_required": "Pide a un administrador una invitación para {email}.",
    "directory_unavailable": "No se puede contactar con el servidor de directorio que comprueba"
    " tu contraseña. Prueba más tarde.",
    "proxy_header_missing": "El proxy delante de este servidor no dijo quién eres.",
    "back_to_app": "De vuelta a la aplicación",
    "back_to_app_explained": "Copia esto en la aplicación en unos segundos y estarás dentro.",
    "token_label": "Para pegar",
    "copy": "Copiar",
    "copied": "Copiado. Vuelve a la aplicación.",
    "browser_login": "Entrar con el navegador",
    "browser_login_explained": "Se abre tu navegador. Copia lo que muestre al final y vuelve.",
    "second_step": "Un paso más",
    "second_step_explained": "Escribe el código que muestra tu aplicación.",
    "code": "Código",
    "recovery_code_hint": "¿No tienes la aplicación a mano? Escribe uno de tus códigos de"
    " recuperación; cada uno vale una vez.",
    "wrong_code": "Ese código no es correcto, es viejo o ya se usó. Espera al siguiente.",
    "restart": "Empezar de nuevo",
    "second_factor": "Segundo factor",
    "second_factor_on": "Para entrar se piden tu contraseña y un código.",
    "second_factor_off": "Con un segundo factor, para entrar se pide, además de tu contraseña, un"
    " código de una aplicación.",
    "second_factor_required": "Tu organización exige un segundo factor.",
    "second_factor_removed": "Se ha quitado el segundo factor. Para entrar basta tu contraseña.",
    "set_up_explained": "Escanea este código con una aplicación de contraseñas de un solo uso.",
    "set_up_required": "Tu organización exige un segundo factor. Escanea este código con una"
    " aplicación de contraseñas de un solo uso.",
    "qr_code": "Código QR para tu aplicación",
    "secret_as_text": "O escribe esto en la aplicación:",
    "app_code": "El código que muestra la aplicación",
    "set_up": "Activarlo",
    "set_up_app": "Activar una aplicación",
    "replace_app": "Usar otra aplicación",
    "app_replaced": "La nueva aplicación está lista. Los códigos de la anterior ya no valen.",
    "recovery_codes": "Guarda estos códigos de recuperación",
    "recovery_codes_explained": "Si pierdes la aplicación, cada código vale una vez. Solo se"
    " muestran ahora: imprímelos o guárdalos con tus contraseñas.",
    "codes_saved": "Los he guardado",
    "codes_left": "Códigos de recuperación restantes: {}.",
    "renew_codes": "Códigos de recuperación nuevos",
    "remove_second_factor": "Quitar el segundo factor",
    "password_incorrect": "Esa no es tu contraseña.",
    "use_passkey": "Usar una llave de acceso",
    "new_passkey": "Añadir una llave de acceso",
    "new_passkey_explained": "Tu teléfono, tu ordenador o una llave de seguridad confirma la"
    " entrada después de la contraseña.",
    "passkey_name": "Nombre de la llave de acceso",
    "add_passkey": "Añadirla",
    "remove_passkey": "Quitar la llave de acceso {}",
    "passkey_failed": "No ha funcionado. Inténtalo otra vez o usa un código.",
    "passkeys_need_script": "Las llaves de acceso necesitan JavaScript; una aplicación con"
    " códigos, no.",
    "back_to_chat": "Volver al chat",
    "first_run_title": "Crea tu organización",
    "first_run_heading": "Te damos la bienvenida a Tertulia",
    "first_run_explained": "Este servidor está vacío. Ponle nombre a tu organización y crea la"
    " primera cuenta, la de quien será su propietario.",
    "organization_name": "Nombre de la organización",
    "your_email": "Tu correo electrónico",
    "setup_code": "Código de instalación",
    "setup_code_explained": "Se muestra en la terminal donde arrancó el servidor. Demuestra que el"
    " servidor es tuyo.",
    "create_organization": "Crear la organización",
    "setup_help": "¿Dónde está el código? ¿Vienes de otro chat?",
    "show_code_again": "Esto muestra el código otra vez, en el servidor:",
    "import_instead": "Esto importa todo de Zulip, Slack, Mattermost o Rocket.Chat, con sus"
    " propietarios, en lugar de este formulario:",
    "wrong_setup_code": "El código de instalación no es correcto. Compáralo con el de la terminal.",
    "already_set_up": "Este servidor ya tiene propietario. Entra, o pide una invitación.",
}

LANGUAGES = {"en": ENGLISH | texts.ENGLISH, "es": SPANISH | texts.SPANISH}

# Texts of errors: by the class of the error, or by the API's message.
PROBLEMS = {
    "LoginFailed": "wrong_password",
    "InvalidEmail": "invalid_email",
    "LoginDeactivated": "account_deactivated",
    "PasswordEnded": "password_expired",
    "LoginOrganizationDeactivated": "organization_deactivated",
    "PasswordLoginDisabled": "password_login_disabled",
    "MethodDisabled": "method_disabled",
    "WrongCode": "wrong_code",
    "LinkNotGood": "link_invalid_explained",
    "EmailTaken": "email_taken",
    "LoginExpired": "login_expired",
    "ProviderFailed": "provider_failed",
    "NotAdmitted": "account_not_admitted",
    "AccountOfAnother": "account_linked_to_other_user",
    "NoVerifiedAddress": "no_verified_address",
    "NoAccountYet": "no_account_yet",
    "InvitationRequired": "invitation_required",
    "DirectoryUnreachable": "directory_unavailable",
    "RemoteUserMissing": "proxy_header_missing",
    "WrongSetupCode": "wrong_setup_code",
    "AlreadySetUp": "already_set_up",
}
SENTENCES = {
    "A password has at least 8 characters.": "password_too_short",
    "A password has at most 100 characters.": "password_too_long",
    "Wrong password!": "password_incorrect",
    "This password is too easy to guess.": "password_too_easy",
}


def of(request: ApiRequest) -> dict[str, str]:
    """The texts in the language of a request."""
    return LANGUAGES[language(request.header("accept-language"))]


def language(accept_language: str | None) -> str:
    """The first language of the Accept-Language header that has a translation."""
    for wanted in (accept_language or "").lower().split(","):
        name = wanted.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def in_language(name: str) -> SimpleNamespace:
    """The texts as attributes: templates use `texts.log_in`."""
    return SimpleNamespace(**LANGUAGES[name])
