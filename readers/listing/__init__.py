"""The lists of files that readers read: folders, patterns, list files.

listing        the files that a reader's arguments name, with labels or without
list_file      text files that list files
class_folders  a folder that holds one folder of files for each class
globs          patterns of file names
path_patterns  paths with braces, globs and folders
"""
