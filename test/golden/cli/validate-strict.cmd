genrun validate odd.yaml
genrun validate odd.yaml --strict
