genrun models --help
