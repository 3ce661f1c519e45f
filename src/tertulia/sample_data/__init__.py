"""Organizations with made-up content: the demo, and generated data of any size."""
