genrun serve --format gif
genrun serve --max-store 5XB
genrun serve --link-seconds soon
genrun serve --fault refused=429
genrun serve --backend nowhere.yaml
genrun serve --backend bad-backend.yaml
