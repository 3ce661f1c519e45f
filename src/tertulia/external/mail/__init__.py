"""Mail: composing and sending it, receiving and parsing it."""
