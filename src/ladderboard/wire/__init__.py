"""The JSON shapes of the API, version 1, shared by server, client and command line.

One module for each resource. They need nothing but the standard library, so that the client stays small. What the
server *accepts* is checked beside its routes.
"""
