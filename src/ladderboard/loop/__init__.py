"""The referee of systems that improve themselves: open tasks steer, guarded tasks certify, one grader judges both."""
