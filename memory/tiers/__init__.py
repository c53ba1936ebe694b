"""Where in its life memory is: the job that promotes it, promotion by hand, and what people read of both."""
