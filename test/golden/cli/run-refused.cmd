genrun wrong.yaml
genrun run nowhere.yaml
genrun wrong.yaml --json --quiet
genrun run campaing.yml
