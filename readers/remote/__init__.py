"""Objects in S3, behind HTTP and in whatever else fsspec knows, as storage for all readers.

storage.py    a `Storage` over an object; opening many at once
endpoint.py   the connections of one service, and how many requests it gets at once
service.py    what a kind of service must do: one function
http_service.py, s3_service.py, fsspec_service.py   the kinds
retries.py    what is tried again, how often and for how long
folders.py    class folders in object stores
"""
