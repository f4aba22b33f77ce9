"""The lists of files that readers read: folders, patterns, list files.

listing        the files that a reader's arguments name, with labels or without
list_file      text files that list files
folder_rule    what a folder holds: which names are data, and which belong to systems
class_folders  a folder that holds one folder of files for each class
layouts        folders that other software lays out, recognized and refused by name
globs          patterns of file names
path_patterns  paths with braces, globs and folders
url_patterns   globs in URLs, and what a store lists for them
"""
