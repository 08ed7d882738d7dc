"""A Python process beside ours: started on demand, limited in time, memory and processes, replaced after it died.

`parent` is our end, `child` the end of the process itself. A request is four bytes with the length of a header, the
header (JSON) and raw bytes whose lengths the header tells. An answer is pieces of raw bytes, each after four bytes with
its length; a length of zero ends them, and a line of JSON follows. Nothing is pickled.
"""
