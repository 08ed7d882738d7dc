"""Attacks by insiders, who hold some of the labels and spend them to pass a gate."""
