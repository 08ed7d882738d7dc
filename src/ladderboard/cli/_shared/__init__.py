"""Options, output and file arguments that several commands share."""
