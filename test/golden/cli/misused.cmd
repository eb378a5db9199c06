genrun
genrun valdate campaign.yaml
genrun campaign.yaml --lokal
genrun campaign
genrun run campaign.yaml --execute many
