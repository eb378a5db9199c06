genrun campaign.yaml
genrun campaign.yaml
genrun campaign.yaml --quiet
