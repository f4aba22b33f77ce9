"""Objects in S3, behind HTTP and in all other services that fsspec knows, as storage for readers.

starts.py       opening and reading objects, also those on the Hub
objects.py      a `Storage` over an object; opening many objects at once
sequential.py   reading an object from its front to its end
endpoint.py     the connections of one service, and the limit of its concurrent requests
service.py      the interface of a service: one function
http_service.py, s3_service.py, fsspec_service.py   the services
retries.py      which faults are tried again, how often and for how long
folders.py      class folders in object stores

The library obstore (0.12, Rust) was measured in place of aiohttp and s3fs. Over HTTP a request of
110 KB costs 0.25 ms of CPU time with either. Over S3 it costs 0.24 ms with obstore and 0.85 ms with
s3fs. obstore is not used, because a forked process that calls it waits for ever: its threads
do not survive the fork. It also hides the status of a refused request, lists no web pages of links,
needs a client for each presigned URL, and finds no credentials in `~/.aws`.
"""
