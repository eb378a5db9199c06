genrun validate --help
