"""The pages: complete without script, one module for each area.

A route function asks a service of `ladderboard.hosting`, makes a view (a frozen dataclass of what the page says) and
renders one template. `templates/README.md` says how to add a page.
"""
