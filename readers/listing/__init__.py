"""The lists of files that readers read: folders, patterns, list files.

listing        the files that a reader's arguments name, with labels or without
list_file      text files that list files
folder_rule    what a folder holds: which names are data, and which belong to systems
class_folders  a folder that holds one folder of files for each class
folder         a folder, local or behind a URL, whose layout is asked for
layouts        folders that other software lays out, recognized and refused by name
layout         a layout as one row
layouts_of_stores  layouts of tables, arrays and shards
layouts_of_media   layouts of pictures, sound and videos beside what describes them
globs          patterns of file names
path_patterns  paths with braces, globs and folders
path_globs     globs over whole paths
splits         the splits of folders, and their configurations
cards          what README.md of a data set lists of its files
targets        labels and columns of targets; texts become class numbers
table_file     tables of targets, CSV and Parquet, as columns of texts and numbers
table_targets  outputs of a table's columns, and which row belongs to which file
with_table     the files that a table names, or has targets for
split_names    words of one meaning for a part of a data set
shares         which files belong to a part of a data set, by a hash of their names
url_patterns   globs in URLs, and what a store lists for them
"""
