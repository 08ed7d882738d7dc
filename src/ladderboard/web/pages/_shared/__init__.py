"""Shared parts of pages: rendering, forms, paging and error pages."""
