genrun init
genrun init teapots
genrun validate teapots.yaml
genrun init teapots.yaml
genrun init shop/spring
