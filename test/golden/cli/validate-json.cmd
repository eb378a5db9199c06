genrun validate campaign.yaml --json
genrun validate wrong.yaml --json
