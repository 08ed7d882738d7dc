"""The competition server by feature: each has a folder with its records, SQL, rules, addresses, pages, templates."""
