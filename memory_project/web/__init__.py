"""Between the web server and Django: reads requests and sends responses without holding a thread."""
