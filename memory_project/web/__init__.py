"""Between the web server and Django: requests are read, and answers are sent, without holding a thread."""
