genrun run --help
