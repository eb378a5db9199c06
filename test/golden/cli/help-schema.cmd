genrun schema --help
