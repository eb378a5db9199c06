genrun campaign.yaml --output elsewhere --quiet
