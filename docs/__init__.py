"""The pages for people, and the script that generates some of them."""
