genrun --help
