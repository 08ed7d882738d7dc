"""Jobs: submissions that take longer to score than a request should; `queue.py` says what becomes of them."""
