# reset --all: what every lesson left, also one that the course no longer has, and the namespace that kubetutor made, if nothing of others is in it.
. "$(dirname "$0")/lib.bash"
mkdir -p pack
cp -r "$here/../../lessons/." pack/
mkdir pack/gone
cat > pack/gone/lesson.lua <<'LUA'
return lesson {
  id = "gone", chapter = "first-taste", level = "beginner", minutes = 5, after = {}, needs = { "configmaps" }, images = {},
  steps = {
    step "make" {
      final = true,
      check = function(k) k:get("configmaps", "stray"):expect { data = { from = "gone" } } end,
      solve = function(k) k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "stray" }, data = { from = "gone" } } end,
    },
  },
}
LUA
printf '# Gone\n\nSoon.\n\n## {#make} Make\n\nMake it.\n' > pack/gone/en.md
printf '# 走了\n\n很快。\n\n## {#make} 做\n\n做吧。\n' > pack/gone/zh.md
sed -i 's/"self-healing"/"self-healing", "gone"/' pack/course.lua

expect 1 k get namespace "$ns"
expect 0 tutor --pack pack play gone --keep --pace fast
expect 0 tutor play nginx/hand-in --keep --pace fast
note "a thing of somebody else keeps the namespace"
k -n "$ns" create configmap theirs > /dev/null
expect 0 tutor reset --all
says '^removed configmaps/stray'
says "^namespace $ns stays: it holds configmaps/theirs"
expect 0 k -n "$ns" get configmap theirs
expect 1 k -n "$ns" get configmap stray
expect 1 k -n "$ns" get deployment nginx
note "without it the namespace goes"
k -n "$ns" delete configmap theirs > /dev/null
expect 0 tutor reset --all
says "^removed namespace $ns, which kubetutor had made"
expect 1 k get namespace "$ns"
note "and is forgotten: one of the same name that somebody else makes stays"
k create namespace "$ns" > /dev/null
expect 0 tutor reset --all
says_not 'removed namespace'
expect 0 k get namespace "$ns"
note "one that was there before stays, too"
expect 0 tutor play nginx/hand-in --keep --pace fast
expect 0 tutor reset --all
says_not 'removed namespace'
expect 0 k get namespace "$ns"
