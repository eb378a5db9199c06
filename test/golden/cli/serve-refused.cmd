genrun serve --host 0.0.0.0
GENRUN_API_KEY=k3y GENRUN_API_KEY_FILE=also genrun serve
