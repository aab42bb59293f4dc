#!/bin/sh
# Stands in for docker. buildah makes an image, and a container is a process whose root is the folder of the image, with the user,
# the folder and the environment that the image names. The data is in the folder of the image too, in place of the volume, and the
# next image of the name gets it. DOCKER_ADDR is where the program listens, in place of the published port.
set -eu
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
state=$(dirname "$0")/state
mkdir -p "$state/roots" "$state/running"
images() {
  buildah --root "$state/storage" --runroot "$state/run" --storage-driver vfs "$@"
}
# field NAME prints a setting of the image.
field() {
  images inspect --type image --format "{{$1}}" "$image"
}

case $1 in
build) # -t IMAGE FOLDER
  images bud --quiet --isolation chroot -t "$3" "$4"
  root=$(images mount "$(images from "$3")")
  if [ -e "$state/roots/$3" ]; then
    rm -r "$root/var/lib"
    mv "$state/roots/$3/var/lib" "$root/var/lib"
  fi
  ln -sfn "$root" "$state/roots/$3"
  exit
  ;;
rm) # NAME
  rm "$state/running/$2"
  exit
  ;;
stop) # NAME
  process=$(cat "$state/running/$2")
  kill "$process"
  while kill -0 "$process" 2>/dev/null; do sleep 0.05; done
  exit
  ;;
run) shift ;;
*)
  echo "docker: the stand-in has no command $1" >&2
  exit 125
  ;;
esac

name= settings=/dev/null volume=
while :; do
  case $1 in
  --rm | -it | --read-only | -d) ;;
  --name) name=$2 && shift ;;
  --env-file) settings=$2 && shift ;;
  --volume) volume=${2#*:} && shift ;;
  --publish | --restart | --stop-timeout) shift ;;
  -*)
    echo "docker: the stand-in has no option $1" >&2
    exit 125
    ;;
  *) break ;;
  esac
  shift
done
image=$1 && shift
user=$(field .OCIv1.Config.User) folder=$(field .OCIv1.Config.WorkingDir)
if [ "$volume" != "$folder" ]; then
  echo "docker: the volume is at $volume, and the program writes to $folder" >&2
  exit 125
fi
[ $# -gt 0 ] || set -- "$(field 'index .OCIv1.Config.Cmd 0')"
set -- /usr/bin/unshare --root "$state/roots/$image" --wd "$folder" --setuid "${user%:*}" --setgid "${user#*:}" "$(field 'index .OCIv1.Config.Entrypoint 0')" "$@"
set -- "${DOCKER_ADDR:+APP_ADDR=$DOCKER_ADDR}" "$@"
[ -n "$1" ] || shift
while IFS= read -r setting; do
  case $setting in
  '' | '#'*) ;;
  *) set -- "$setting" "$@" ;;
  esac
done <"$settings"
for setting in $(field 'range .OCIv1.Config.Env}}{{.}} {{end'); do
  set -- "$setting" "$@"
done
if [ -z "$name" ]; then
  exec env -i "$@"
fi
env -i "$@" >"$state/running/$name.log" 2>&1 </dev/null &
echo $! | tee "$state/running/$name"
