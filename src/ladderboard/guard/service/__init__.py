"""The guard as a service of its own: clients ask by token, the labels stay in the service's process."""
