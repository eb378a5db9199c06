genrun init --help
