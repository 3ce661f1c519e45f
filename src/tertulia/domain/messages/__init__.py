"""Messages: their content, links, narrows and notices."""
