from penstock.plugin.native_plugins import *
