"""Messages to be sent later."""
