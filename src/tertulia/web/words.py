"""The words of the pages at the door, in the languages we speak. English is the measure."""

from types import SimpleNamespace

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
}

LANGUAGES = {"en": ENGLISH, "es": SPANISH}


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
