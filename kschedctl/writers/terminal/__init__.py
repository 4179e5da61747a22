"""Documents as text for terminals, narrow and wide; nothing else imports rich."""
