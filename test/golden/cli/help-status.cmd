genrun status --help
