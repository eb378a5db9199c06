CI=1 genrun campaign.yaml --local --json
