genrun models info --help
