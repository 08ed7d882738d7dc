"""The JSON shapes of the API, version 1, as frozen dataclasses: shared by the server, the client and the commands.

One module for each resource. They need nothing but the standard library, so that the client stays small. What the
server *accepts* is checked beside its routes.
"""
