genrun serve --help
