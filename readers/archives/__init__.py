"""Members of archives: the place of each file in a tar or zip archive.

tar              the members of a tar archive
tar_index        samples: members that follow one another and share a key
tar_headers      the headers of members, written
zip_index        the members of a zip archive
inflated_member  the content of a deflated member
"""
