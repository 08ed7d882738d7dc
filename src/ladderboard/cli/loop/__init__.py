"""The commands of the referee of systems that improve themselves."""
