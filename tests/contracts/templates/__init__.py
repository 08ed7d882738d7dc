"""A metric, a mechanism, a reader and an attack to begin from, and the lines that list them.

`tests/contracts/test_templates.py` copies them into a package outside the product and runs the contract suites on them.
"""
