"""Objects in S3, GCS and Azure, behind HTTP and in all other services that fsspec knows.

objects.py      a `Storage` over an object; opening many objects at once. Start here.
sequential.py   reading an object from its front to its end
requests.py     requests under way together, and their end before the result
endpoint.py     the threads that make the requests of one service
retries.py      which faults are tried again, how often and for how long
service.py      the interface of a service: a range of an object, the entries of a folder
obstore_service.py, fsspec_service.py   the services
stores.py, aws.py   obstore's stores, made from `storage_options`
links.py        pages of web servers that list folders
folders.py      class folders in object stores
writing.py      a folder in an object store that is written
"""
