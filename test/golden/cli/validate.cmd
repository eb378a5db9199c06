genrun validate campaign.yaml
genrun validate wrong.yaml
genrun validate nowhere.yaml
