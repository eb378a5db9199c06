genrun resolve --help
