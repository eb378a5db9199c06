genrun adopt --help
